// `npm test [-- <filter>]`: installs, builds, lints and runs all tests (or those whose path matches the filter).
// `npm test -- --all [<filter>]` runs all of them on both databases, and the fuzz tests with two to four times as many cases.
// Its last line is `N passed, N failed`, and a red exit code never comes with `0 failed`.
import { prepare, root } from './prepare.mjs'
import { StepFailed, step } from './step.mjs'
import { reportDatabases } from './test-databases.mjs'
import { reportTimes, timesOf } from './test-times.mjs'
import { ensureTools, sandboxTools, wishForTools } from './tools.mjs'

process.chdir(root)
const count = { passed: 0, failed: 0, skipped: 0 }

if (await check(prepare)) {
  await check(() =>
    step('Checking style', process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'ci', '.']),
  )
  await check(() => step('Checking import direction', process.execPath, ['scripts/check-imports.mjs']))
  await check(() => step('Checking exports', process.execPath, ['scripts/check-exports.mjs']))
  await check(() => step('Checking regular expressions', process.execPath, ['scripts/check-regexes.mjs']))
  await check(() => ensureTools(['chromium', 'git', 'tar', 'openssl', 'curl', 'nghttp2-client', 'pebble']))
  await check(() => wishForTools([...sandboxTools, 'iproute2', 'docker.io']))
  await check(() => wishForTools(['zsh', 'fish']))
  await check(() => wishForTools(['chromium-headless-shell']))
  const args = process.argv.slice(2)
  const filters = args.filter(arg => arg !== '--all')
  if (filters.length === args.length) {
    // `testing/databases.ts` reads it.
    process.env.SVC_TEST_RUN = 'short'
    process.env.SVCD_FUZZ_CASES ??= '500'
  }
  await runTests(filters)
}

const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`)
process.exit(count.failed === 0 ? 0 : 1)

/** A failed check counts as one failure, and the others still run. */
async function check(work) {
  try {
    await work()
    return true
  } catch (error) {
    console.error(`\n${error instanceof StepFailed ? error.message : error.stack}\n`)
    count.failed++
    return false
  }
}

async function runTests(filters) {
  const { startVitest } = await import('vitest/node')
  const vitest = await startVitest('test', filters, { watch: false, passWithNoTests: true })
  const modules = vitest.state.getTestModules()
  for (const module of modules) {
    for (const test of module.children.allTests()) count[test.result().state]++
    // A file that does not load, or whose set-up fails, has no failed test to show for it.
    if (!module.ok() && ![...module.children.allTests('failed')].length) count.failed++
  }
  count.failed += vitest.state.getUnhandledErrors().length
  await vitest.close()
  reportTimes(timesOf(modules))
  reportDatabases(modules)
  if (process.env.SVC_TEST_RUN === 'short')
    console.log(`Each fuzz test played ${process.env.SVCD_FUZZ_CASES} cases. More of them: npm test -- --all`)
  if (count.passed + count.failed === 0) {
    console.error('No test ran, which counts as a failure.')
    count.failed++
  }
}
