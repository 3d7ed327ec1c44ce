// Replaces what the project's database holds by a dump.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Answer, EndpointTable } from '@svc/contract'
import { answerFrom, networkError, type Sparse, target } from '@svc/contract/client'
import { minuteMs } from '@svc/contract/durations'
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { requireToken } from '../../credentials.ts'
import { environment } from '../../environment.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { networkReason } from '../../network.ts'
import { bold, minute, print } from '../../output.ts'
import { apiUrl } from '../../platform-url.ts'
import { progressBar, waitingLine } from '../../progress.ts'
import { actions, confirmByName } from '../../prompt.ts'
import { userAgent } from '../../session.ts'
import { upload } from '../../site/upload.ts'

const endpoint = 'POST /projects/:name/database/load'

export const restoreDatabase: Run = async ({ args: [file = ''], options }) => {
  const name = requireProject(options)
  const bytes = await sizeOfDump(file)
  if (!options.yes)
    await confirmByName(
      'database',
      name,
      async () => `This replaces what the database of ${name} holds by ${file}. The app restarts.`,
      actions.replace,
    )
  const { removed } = await send(name, file, bytes)
  print(`Restored ${bold(file)} into the database of ${bold(name)}.`)
  if (removed?.kept_until)
    print(`'svc db undelete' brings back what it held before, until ${minute(removed.kept_until)} UTC.`)
}

/** Fails before the question if the platform would refuse the file. */
async function sizeOfDump(file: string): Promise<number> {
  const handle = await open(file).catch((cause: Error) => {
    throw new Failure(`Can't read ${file}: ${cause.message}`)
  })
  try {
    const { buffer } = await handle.read(Buffer.alloc(5), 0, 5, 0)
    if (buffer.toString('latin1') !== 'PGDMP')
      throw new Failure(
        `${file} is no dump in the custom format. Make one with 'svc db dump' or 'pg_dump --format=custom'.`,
      )
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

async function send(name: string, file: string, bytes: number) {
  const baseUrl = apiUrl()
  const { path } = target(endpoint, { params: { name }, query: { confirm: name } })
  const headers = {
    ...userAgent(),
    authorization: `Bearer ${requireToken()}`,
    'content-type': 'application/octet-stream',
  }
  const sending = progressBar('Uploading', bytes)
  const waiting = waitingLine('Restoring')
  const onProgress = (sent: number) => {
    sending.update(sent)
    if (sent === bytes) waiting.start()
  }
  const dump = { bytes, chunks: createReadStream(file) }
  const { status, text, location } = await upload(
    new URL(baseUrl + path),
    headers,
    dump,
    onProgress,
    // The platform says nothing before it is done.
    { connectMs: environment.silenceMs(), silenceMs: (limits.loadMinutes + 1) * minuteMs },
  )
    .catch(cause => {
      throw networkError(baseUrl, cause, networkReason(cause))
    })
    .finally(waiting.end)
    .finally(sending.end)
  return answerFrom<Sparse<Answer<EndpointTable[typeof endpoint]>>>(status, text, location)
}
