// Where the time of a test run went: the slowest files for the reader, all of them in `.cache/test-times.json`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'

const place = '.cache/test-times.json'
const seconds = ms => Math.round(ms / 100) / 10

/**
 * The seconds of each file, the slowest first. `processor` counts the test's process and the programs that it started and that
 * ended (on Linux); unlike `seconds`, it does not grow on a busy machine.
 * @param {import('vitest/node').TestModule[]} modules
 */
export function timesOf(modules) {
  return modules
    .map(module => {
      const { collectDuration, duration } = module.diagnostic()
      return {
        file: relative(process.cwd(), module.moduleId),
        seconds: seconds(collectDuration + duration),
        processor: seconds(module.meta().processorMs ?? 0),
        tests: [...module.children.allTests()].length,
      }
    })
    .sort((a, b) => b.seconds - a.seconds)
}

export function reportTimes(times) {
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, JSON.stringify(times, undefined, 1))
  if (times.length < 2) return
  console.log(`\nThe slowest files, in seconds (all of them: ${place})`)
  for (const { file, seconds, processor } of times.slice(0, 10))
    console.log(`${seconds.toFixed(1).padStart(7)}  ${file}, ${processor.toFixed(1)} of the processor`)
}
