// Checks the import direction of every source file; part of `npm run lint`.
import { problemsOf } from './import-rules.mjs'
import { sources } from './sources.mjs'

const problems = sources().flatMap(({ path, text }) => problemsOf(path, text))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
