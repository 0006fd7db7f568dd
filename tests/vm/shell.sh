#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# shell.sh - what `make shell` starts in the guest: the module loaded, the tool in PATH
insmod "$KFLAME_MODULE" && echo "kflame is loaded on $(uname -r). Try: kflame top"
PATH=$KFLAME_BUILD/user:$PATH PS1='guest:\w# ' exec bash --norc
