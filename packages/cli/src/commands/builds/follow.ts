// Shows the log of a build as it grows, until the build ends.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Build } from '@svc/contract'
import { download, type Sparse, type SparseClient } from '@svc/contract/client'
import { Failure } from '../../failure.ts'
import { clean, notice } from '../../output.ts'
import { sessionSettings } from '../../session.ts'
import { forTerminal } from '../logs/lines.ts'

const pollMs = 500

/**
 * A build that did not succeed is a failure of the command. Ctrl-C ends the command with this code, and not the build.
 */
export async function followBuild(
  call: SparseClient,
  name: string,
  id: string,
  interrupted: 0 | 130 = 130,
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
    offset += await writeLog(name, id, offset)
    if (isOver(build)) return conclude(build)
    await sleep(pollMs)
  }
}

/** Prints the log from `offset` on. Returns the number of new bytes. */
export async function writeLog(name: string, id: string, offset: number): Promise<number> {
  const input = { params: { name, id }, query: { offset: String(offset) } }
  const response = await download(sessionSettings(), 'GET /projects/:name/builds/:id/log', input)
  const news = Buffer.from(await response.arrayBuffer())
  process.stdout.write(process.stdout.isTTY ? shown(news.toString('utf8')) : news)
  return news.length
}

/** Removes control characters from the output of a build, because they could control the terminal. */
const shown = (text: string): string => text.split('\n').map(forTerminal).join('\n')

const isOver = ({ status }: Sparse<Build>): boolean => status !== 'queued' && status !== 'building'

function conclude({ status, error }: Sparse<Build>): void {
  if (status === 'succeeded') return
  throw new Failure(
    `The build ${status === 'cancelled' ? 'was cancelled' : 'failed'}. ${clean(error ?? '')}`.trim(),
  )
}
