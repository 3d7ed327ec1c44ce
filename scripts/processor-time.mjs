// Vitest loads this before each test file. It notes the processor time that the file takes, for `test-times.mjs`.
import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

const before = processorMs()

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures a hook uses.
afterAll(({}, { file }) => {
  file.meta.processorMs = processorMs() - before
})

function processorMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + endedChildrenMs()
}

/** The processor time of the programs that this process started and that ended. Only Linux tells it. */
function endedChildrenMs() {
  try {
    const afterName = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
    const ticksPerSecond = 100
    return ((Number(afterName[13]) + Number(afterName[14])) / ticksPerSecond) * 1000
  } catch {
    return 0 // There is no /proc on this system.
  }
}
