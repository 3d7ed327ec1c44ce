// Shows the log of a build as it grows, until the build ends.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Build } from '@svc/contract'
import { download, type Sparse, type SparseClient } from '@svc/contract/client'
import { Failure } from '../../failure.ts'
import { clean, notice } from '../../output.ts'
import { sessionSettings } from '../../session.ts'
import { forTerminal } from '../logs/lines.ts'

const pollMs = 500

interface Following {
  /** Ctrl-C ends the command with this code, and not the build. */
  interrupted?: 0 | 130
  timestamps?: boolean | undefined
}

/** A build that did not succeed is a failure of the command. */
export async function followBuild(
  call: SparseClient,
  name: string,
  id: string,
  { interrupted = 130, timestamps }: Following = {},
): Promise<void> {
  let offset = 0
  let position: number | undefined
  process.on('SIGINT', () => {
    notice(
      `\nThe build goes on. 'svc git log ${id} --follow' shows it again, 'svc git cancel ${id}' cancels it.`,
    )
    process.exit(interrupted)
  })
  for (;;) {
    const build = await call('GET /projects/:name/builds/:id', { params: { name, id } })
    if (build.status === 'queued' && build.position !== position) {
      position = build.position ?? undefined
      notice(position === undefined ? 'Waiting in the queue.' : `Waiting in the queue, at place ${position}.`)
    }
    offset += await writeLog(name, id, { offset, timestamps })
    if (isOver(build)) return conclude(build)
    await sleep(pollMs)
  }
}

/** Prints the log from `offset` on. Returns the number of new bytes, without the times. */
export async function writeLog(
  name: string,
  id: string,
  { offset, timestamps }: { offset: number; timestamps: boolean | undefined },
): Promise<number> {
  const query = { offset: String(offset), ...(timestamps && { timestamps: '1' as const }) }
  const input = { params: { name, id }, query }
  const response = await download(sessionSettings(), 'GET /projects/:name/builds/:id/log', input)
  const news = Buffer.from(await response.arrayBuffer())
  process.stdout.write(process.stdout.isTTY ? shown(news.toString('utf8')) : news)
  return timestamps ? bytesWithoutTimes(news.toString('utf8')) : news.length
}

const bytesWithoutTimes = (text: string): number =>
  Buffer.byteLength(
    text
      .split('\n')
      .map(line => line.slice(line.indexOf(' ') + 1))
      .join('\n'),
  )

/** Removes control characters from the output of a build, because they could control the terminal. */
const shown = (text: string): string => text.split('\n').map(forTerminal).join('\n')

const isOver = ({ status }: Sparse<Build>): boolean => status !== 'queued' && status !== 'building'

function conclude({ status, error }: Sparse<Build>): void {
  if (status === 'succeeded') return
  throw new Failure(
    `The build ${status === 'cancelled' ? 'was cancelled' : 'failed'}. ${clean(error ?? '')}`.trim(),
  )
}
