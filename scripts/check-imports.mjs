// Checks the import direction of every source file, and that no files import each other; part of `npm run lint`.
import { cyclesOf } from './import-cycles.mjs'
import { problemsOf } from './import-rules.mjs'
import { sources } from './sources.mjs'

const files = sources()
const problems = [
  ...files.flatMap(({ path, text }) => problemsOf(path, text)),
  ...cyclesOf(files).map(cycle => `${cycle.join(' imports ')}: move what both need to a file of its own`),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
