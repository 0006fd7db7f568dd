# SPDX-License-Identifier: GPL-2.0-or-later
#
# kflame.bash - completion for bash
#
# What there is to complete the tool tells itself (--list-commands, --list-options), so this knows
# no option by name.

# Sets COMPREPLY to those of the words $1 that begin with $2; $3 goes before each
_kflame_words() {
	local IFS=$' \t\n'

	mapfile -t COMPREPLY < <(compgen -P "$3" -W "$1" -- "$2")
}

# _kflame_listed TOOL BEGIN BEFORE: events that begin with BEGIN, such as kprobe:vfs; BEFORE goes before each
_kflame_listed() {
	mapfile -t COMPREPLY < <("$1" list --names "$2*" 2>/dev/null)
	COMPREPLY=("${COMPREPLY[@]/#/"$3"}")
}

# _kflame_argument ARGUMENT WORDS CURRENT TOOL: the argument of an option
_kflame_argument() {
	local list= word

	if [[ -n $2 ]]; then
		[[ $1 == *,* && $3 == *,* ]] && list=${3%,*},
		for word in $2; do
			if [[ $word == *: && ${3#"$list"} == "$word"* ]]; then
				_kflame_listed "$4" "${3#"$list"}" "$list"
				return
			fi
		done
		_kflame_words "$2" "${3#"$list"}" "$list"
		[[ ${COMPREPLY[0]-} == *: ]] && compopt -o nospace
		return
	fi
	case $1 in
	*FILE*) mapfile -t COMPREPLY < <(compgen -f -- "$3"); compopt -o filenames ;;
	*DIR* | *PATH*) mapfile -t COMPREPLY < <(compgen -d -- "$3"); compopt -o filenames ;;
	esac
}

# _kflame_plain WHAT CURRENT: what is no option
_kflame_plain() {
	case $1 in
	*COMMAND*) mapfile -t COMPREPLY < <(compgen -c -- "$2"; compgen -f -- "$2") ;;
	*FUNCTION*) ;;
	?*) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	esac
	compopt -o filenames
}

# What was recorded is another program's business from its first word on
_kflame_recorded() {
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif ((COMP_CWORD == $1)); then
		_kflame_plain COMMAND "${COMP_WORDS[COMP_CWORD]}"
	else
		_kflame_plain FILE "${COMP_WORDS[COMP_CWORD]}"
	fi
}

# What bash splits at colons is one word. Sets current to the whole word, and at to the index where it begins
_kflame_join() {
	at=$COMP_CWORD
	current=${COMP_WORDS[at]}
	while ((at > 2)) && [[ $COMP_WORDBREAKS == *:* && ($current == :* || ${COMP_WORDS[at - 1]} == *:) ]]; do
		current=${COMP_WORDS[--at]}$current
	done
}

# Takes from each of COMPREPLY what bash has already: all up to the last colon of the word $1
_kflame_cut() {
	local has=${1%"${1##*:}"}

	[[ $COMP_WORDBREAKS == *:* && -n $has ]] && COMPREPLY=("${COMPREPLY[@]#"$has"}")
}

_kflame() {
	local tool=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} before at
	local spelling argument words help plain='' offered='' i

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_kflame_words "$("$tool" --list-commands 2>/dev/null | cut -f1) help --help --version" "$current"
		return
	fi
	if [[ ${COMP_WORDS[1]} == help ]]; then
		_kflame_words "$("$tool" --list-commands 2>/dev/null | cut -f1)" "$current"
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			_kflame_recorded $((i + 1))
			return
		fi
	done
	_kflame_join
	before=${COMP_WORDS[at - 1]}
	# "--root=pid" is three words to bash
	if [[ $current == = ]]; then
		current=
		before+==
	elif [[ $before == = ]]; then
		before=${COMP_WORDS[at - 2]}=
	fi
	# A tab as IFS would take two for one
	while IFS=$'\037' read -r spelling argument words help; do
		case $spelling in
		'') plain=$argument; continue ;;
		"${before%=}")
			# Where it may be left out, it is behind the = only
			if [[ -n $argument && ($argument != \[* || $before == *=) ]]; then
				_kflame_argument "$argument" "$words" "$current" "$tool"
				_kflame_cut "$current"
				return
			fi ;;
		esac
		[[ $spelling == --* && -n $argument && $argument != \[* ]] && spelling+==
		offered+="$spelling "
	done < <("$tool" "${COMP_WORDS[1]}" --list-options 2>/dev/null | tr '\t' '\037')
	if [[ $current != -* ]]; then
		_kflame_plain "$plain" "$current"
		return
	fi
	_kflame_words "$offered" "$current"
	[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}

complete -F _kflame kflame
