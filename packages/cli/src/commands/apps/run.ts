// `svc run`: runs a command on the platform, in a new instance of the live app, and ends as it ended.

import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { download } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { clean, notice } from '../../output.ts'
import { sessionSettings } from '../../session.ts'

/** A line of the answer. Lines that say something else belong to newer platforms. */
interface Line {
  stdout?: unknown
  stderr?: unknown
  exit_code?: unknown
  reason?: unknown
}

export const runRemotely: Run = async ({ args, options }) => {
  const name = requireProject(options)
  const response = await download(sessionSettings(), 'POST /projects/:name/run', {
    params: { name },
    body: { command: args },
  })
  if (!response.body) throw new Failure('The platform sent nothing.')
  for await (const line of linesOf(response.body as ReadableStream)) {
    for (const stream of ['stdout', 'stderr'] as const) {
      const data = line[stream]
      if (typeof data === 'string') await write(process[stream], Buffer.from(data, 'base64'))
    }
    if (typeof line.exit_code !== 'number') continue
    if (typeof line.reason === 'string') notice(clean(line.reason))
    if (line.exit_code !== 0) process.exit(line.exit_code)
    return
  }
  throw brokeOff()
}

/** The last line may be cut. */
async function* linesOf(body: ReadableStream): AsyncGenerator<Line> {
  try {
    for await (const text of createInterface({ input: Readable.fromWeb(body) })) yield JSON.parse(text)
  } catch {
    throw brokeOff()
  }
}

const brokeOff = () => new Failure('The connection broke before the command ended. The platform ends it.')

/** Waits for a slow reader, so that the memory does not fill with what it has not read. */
const write = (stream: NodeJS.WriteStream, data: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(data, error => (error ? reject(error) : resolve()))
  })
