// What a process and all its descendants use, read from /proc. A descendant may end while it is read. It then counts nothing.
import { readdirSync, readFileSync } from 'node:fs'

/** Resident memory, and the share of it that is its own (PSS), in MB. */
export function memoryOf(pid) {
  const sum = { rss: 0, pss: 0 }
  for (const each of treeOf(pid)) {
    const text = unlessEnded(() => readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'), '')
    const megabytes = name => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024
    sum.rss += megabytes('Rss')
    sum.pss += megabytes('Pss')
  }
  return sum
}

/** Processor time used so far, in seconds. */
export const cpuSecondsOf = pid =>
  treeOf(pid).reduce((sum, each) => sum + unlessEnded(() => ownCpuSecondsOf(each), 0), 0)

/** Without its descendants, such as the apps of a platform. */
export function ownCpuSecondsOf(pid) {
  const [, text] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = text.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const treeOf = pid => [pid, ...childrenOf(pid).flatMap(treeOf)]

export const childrenOf = pid =>
  unlessEnded(() => readdirSync(`/proc/${pid}/task`), []).flatMap(task =>
    unlessEnded(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'), '')
      .split(' ')
      .filter(Boolean),
  )

function unlessEnded(read, otherwise) {
  try {
    return read()
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return otherwise
    throw error
  }
}
