// SPDX-License-Identifier: GPL-2.0-or-later
//
// speedscope_import.ts - functions of a file as speedscope's own importers see them
//
// usage: esbuild --bundle --platform=node --alias:speedscope=CHECKOUT/src ... | node - chrome|speedscope FILE
//
// Prints a JSON list [NAME, SELF, TOTAL] a line, for functions.py.
import { readFileSync } from 'fs'
import { importTraceEvents } from 'speedscope/import/trace-event'
import { importSpeedscopeProfiles } from 'speedscope/lib/file-format'

const file = JSON.parse(readFileSync(process.argv[3], 'utf8'))
const group = process.argv[2] === 'chrome' ? importTraceEvents(file) : importSpeedscopeProfiles(file)

// What it finds wrong with a file it only warns of
// The first one has all threads, the others have one each
for (const profile of group.profiles.slice(0, 1))
  profile.forEachFrame(frame =>
    console.log(JSON.stringify([frame.name, frame.getSelfWeight(), frame.getTotalWeight()])))
