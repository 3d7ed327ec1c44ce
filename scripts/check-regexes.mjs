// Checks that every regular expression of the sources is linear; part of `npm run lint`.
import { problemsOf } from './regex-rules.mjs'
import { sources } from './sources.mjs'

/** Tests and what only tests use see no input from outside. */
const isTest = path => /\.test\.tsx?$|\/testing\/|\/conformance\.ts$|\/test(?:bed|app)\.ts$/.test(path)

const problems = sources()
  .filter(({ path }) => !isTest(path))
  .flatMap(({ path, text }) => problemsOf(path, text))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
