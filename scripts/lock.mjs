// Lets one process at a time install and build in this checkout, so that `npm start` and `npm test` may overlap.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Runs `work` while holding the lock file; a lock whose owner is gone counts as free. */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true })
  let told = false
  while (!take(file)) {
    const owner = ownerOf(file)
    if (!isAlive(owner)) {
      rmSync(file, { force: true })
      continue
    }
    if (!told) process.stderr.write(`Waiting for process ${owner}, which prepares this checkout …\n`)
    told = true
    await sleep(200)
  }
  const release = () => rmSync(file, { force: true })
  process.on('exit', release)
  try {
    return await work()
  } finally {
    process.off('exit', release)
    release()
  }
}

function take(file) {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function ownerOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0 // Released between our two looks.
  }
}

function isAlive(pid) {
  if (!pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
