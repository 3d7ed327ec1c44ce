// `npm test [-- <filter>]`: installs, builds, lints and runs all tests (or those whose path matches the filter).
// `npm test -- --all [<filter>]` runs all of them on both databases, and the fuzz tests with two to four times as many cases.
// Its last line is `N passed, N failed`, and a red exit code never comes with `0 failed`.
import { prepare, root } from './prepare.mjs'
import { StepFailed, step } from './step.mjs'
import { reportDatabases } from './test-databases.mjs'
import { reportTimes, timesOf } from './test-times.mjs'
import { ensureTools, sandboxTools, wishForTools } from './tools.mjs'

process.chdir(root)
/** With more failed files than these, the fault is not the machine's. */
const againAtMost = 8
const count = { passed: 0, failed: 0, skipped: 0 }

if (await check(prepare)) {
  await check(() =>
    step('Checking style', process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'ci', '.']),
  )
  await check(() => step('Checking import direction', process.execPath, ['scripts/check-imports.mjs']))
  await check(() => step('Checking exports', process.execPath, ['scripts/check-exports.mjs']))
  await check(() => step('Checking regular expressions', process.execPath, ['scripts/check-regexes.mjs']))
  await check(() => step('Checking stylesheets', process.execPath, ['scripts/check-styles.mjs']))
  await check(() =>
    ensureTools([
      'chromium',
      'git',
      'tar',
      'openssl',
      'curl',
      'nghttp2-client',
      'pebble',
      'age',
      'openssh-sftp-server',
    ]),
  )
  await check(() => wishForTools([...sandboxTools, 'iproute2', 'docker.io']))
  await check(() =>
    wishForTools(['zsh', 'fish', 'postgresql', 'nginx', 'caddy', 'haproxy', 'bind9', 'bind9-dnsutils']),
  )
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
  const { modules, unhandled } = await runFiles(filters)
  const failed = modules.filter(module => !module.ok())
  const again = failed.length > 0 && failed.length <= againAtMost ? await runAgain(failed) : []
  const isAgain = new Set(again.map(({ moduleId }) => moduleId))
  for (const module of [...modules.filter(({ moduleId }) => !isAgain.has(moduleId)), ...again]) {
    for (const test of module.children.allTests()) count[test.result().state]++
    // A file that does not load, or whose set-up fails, has no failed test to show for it.
    if (!module.ok() && ![...module.children.allTests('failed')].length) count.failed++
  }
  count.failed += unhandled
  reportTimes(timesOf(modules))
  reportDatabases(modules)
  reportUnsteady(failed, again)
  if (process.env.SVC_TEST_RUN === 'short')
    console.log(`Each fuzz test played ${process.env.SVCD_FUZZ_CASES} cases. More of them: npm test -- --all`)
  if (count.passed + count.failed === 0) {
    console.error('No test ran, which counts as a failure.')
    count.failed++
  }
}

async function runFiles(filters, options = {}) {
  const { startVitest } = await import('vitest/node')
  const vitest = await startVitest('test', filters, { watch: false, passWithNoTests: true, ...options })
  const modules = vitest.state.getTestModules()
  const unhandled = vitest.state.getUnhandledErrors().length
  await vitest.close()
  return { modules, unhandled }
}

/** A container engine or a browser may fail because other tests keep the machine busy. So a failed file runs once more, alone. */
async function runAgain(failed) {
  console.log(
    `\nRunning the ${failed.length === 1 ? 'failed file' : 'failed files'} once more, one at a time.`,
  )
  const files = failed.map(({ moduleId }) => moduleId)
  const { modules, unhandled } = await runFiles(files, { maxWorkers: 1 })
  count.failed += unhandled
  return modules
}

/** A test that passes only on its own is worth mending, and does not go unheard of. */
function reportUnsteady(failed, again) {
  const passed = again.filter(module => module.ok()).map(({ moduleId }) => moduleId)
  const unsteady = failed.filter(({ moduleId }) => passed.includes(moduleId))
  if (unsteady.length === 0) return
  console.log('\nUnsteady: these failed beside other tests, and passed alone.')
  for (const module of unsteady)
    for (const name of namesOfFailed(module)) console.log(`  ${module.relativeModuleId}: ${name}`)
}

function namesOfFailed(module) {
  const names = [...module.children.allTests('failed')].map(test => test.fullName)
  return names.length > 0 ? names : ['the file itself']
}
