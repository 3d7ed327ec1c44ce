// Snapshots of a project's disk: list, make, restore, download.
import { setTimeout as sleep } from 'node:timers/promises'
import { formatBytes } from '@svc/contract/bytes'
import { download, type SparseClient } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, dim, notice, print, printJson, printTable } from '../../output.ts'
import { canAsk, confirm } from '../../prompt.ts'
import { saveAnswer } from '../../save-answer.ts'
import { connect, required, sessionSettings } from '../../session.ts'

const lookEveryMs = 500
const atMostMs = 10 * 60_000

export const listSnapshots: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/disk/snapshots', { params: { name } })
  if (options.json) return printJson(answer)
  const rows = required(answer, 'snapshots')
  if (rows.length === 0)
    return print(
      "No snapshots yet. One is made before each deploy and once a day; 'svc disk snapshot' makes one now.",
    )
  printTable(
    rows.map(({ id, created_at, bytes, reason }) => [
      bold(clean(id)),
      clean(created_at),
      formatBytes(bytes ?? 0),
      dim(clean(reason)),
    ]),
  )
}

export const makeSnapshot: Run = async ({ options }) => {
  const name = requireProject(options)
  const call = connect()
  await call('POST /projects/:name/disk/snapshots', { params: { name } })
  await untilCopied(call, name)
  print(`Made a snapshot of the disk of ${bold(name)}.`)
}

export const restoreSnapshot: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  if (!options.yes) {
    if (!canAsk())
      throw new Failure('Restoring a disk asks first, and there is no terminal to ask at. Pass --yes.')
    notice(`This replaces all files on the disk of ${name}. What it holds now is kept as a snapshot.`)
    if (!(await confirm('Restore it?', false))) throw new Failure('Nothing was changed.')
  }
  await restore(connect(), name, id)
  print(`Restored ${bold(id)} to the disk of ${bold(name)}.`)
}

/** Resolves when the disk holds the files of the snapshot. */
export async function restore(call: SparseClient, name: string, id: string): Promise<void> {
  await call('POST /projects/:name/disk/snapshots/:id/restore', { params: { name, id } })
  await untilCopied(call, name)
}

/** Fails with the reason if the copy could not be made. */
async function untilCopied(call: SparseClient, name: string): Promise<void> {
  for (const until = performance.now() + atMostMs; performance.now() < until; await sleep(lookEveryMs)) {
    const { disk } = await call('GET /projects/:name/disk', { params: { name } })
    if (disk?.is_copying) continue
    if (disk?.problem) throw new Failure(disk.problem)
    return
  }
  throw new Failure("The disk is still being copied. 'svc disk' says when that is done.")
}

export const downloadSnapshot: Run = async ({ args: [id = '', file = `${id}.tar`], options }) => {
  const name = requireProject(options)
  const response = await download(sessionSettings(), 'GET /projects/:name/disk/snapshots/:id/download', {
    params: { name, id },
  })
  await saveAnswer(response, file)
  print(`Wrote ${bold(file)}.`)
}
