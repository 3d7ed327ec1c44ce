// Runs a command in an instance of its own, in the place of the live app, and tells what it writes while it runs.
import { PassThrough, type Readable } from 'node:stream'
import { limits } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { findDeployment } from '../../store/deployments/deployments.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { AppCommand } from '../base/apps.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { requireNotSuspended } from '../base/suspension.ts'

/** Shorter than the time after which clients and proxies give up on a silent connection. */
export const signOfLifeMs = 10_000

interface Asked {
  command: readonly string[]
  confirmRights: () => Promise<void>
}

/** Lines of JSON. The command ends when the stream is closed. */
export async function runCommand(
  platform: CommandParts,
  caller: Caller,
  project: ProjectWithOrg,
  { command, confirmRights }: Asked,
): Promise<Readable> {
  const { app, here } = await placeOfCommand(platform, project)
  const lines = new PassThrough()
  // The command may fail before the lines have a reader.
  lines.on('error', () => undefined)
  const write = (line: object) => void (lines.writable && lines.write(`${JSON.stringify(line)}\n`))
  const output = (stream: 'stdout' | 'stderr', chunk: Buffer) =>
    void write({ [stream]: chunk.toString('base64') })
  const run = await here.prepare({ ...app, command: checkedCommand(command), output })
  const gone = new AbortController()
  lines.once('close', () => gone.abort('The connection was closed.'))
  await record(platform, caller, project).catch(async error => {
    gone.abort('It was refused.')
    await run(gone.signal)
    throw error
  })
  beat(platform, lines, async () => {
    write({})
    await confirmRights().catch(error => isRefusal(error) && gone.abort(error.message))
  })
  run(gone.signal)
    .then(({ exitCode, reason }) => {
      write({ exit_code: exitCode, reason })
      lines.end()
    })
    .catch((error: Error) => lines.destroy(error))
  return lines
}

export type CommandParts = Rows & Pick<Platform, 'commands'>

/** The live app, and what runs commands in its place. */
export async function placeOfCommand({ store, commands: { here } }: CommandParts, project: ProjectWithOrg) {
  const live = await findDeployment(store.db, project.id, project.active_deployment_id ?? '')
  if (live?.kind !== 'server') throw new Fault('not_a_server', 'The project has no live server app.')
  if (!here)
    throw new Fault('unavailable', 'This node of the platform runs no apps. Ask one with the role runner.')
  return { app: { projectId: project.id, deploymentId: live.id }, here }
}

/** The arguments may be secret, so the log has none of them. */
export const record = (platform: CommandParts, caller: Caller, project: ProjectWithOrg): Promise<void> =>
  platform.store.transact(async tx => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    await requireNotSuspended(tx, project.id)
    await audit(platform, tx, caller, { action: 'app.run', project })
  })

/** Until the stream ends. */
function beat(platform: Pick<Platform, 'clock'>, lines: PassThrough, sign: () => Promise<void>): void {
  platform.clock.timeout(signOfLifeMs).addEventListener('abort', async () => {
    if (!lines.writable) return
    await sign()
    beat(platform, lines, sign)
  })
}

/** While the database does not answer, the caller keeps their rights. */
export const isRefusal = (error: unknown): error is Fault =>
  error instanceof Fault && ['unauthorized', 'forbidden', 'not_found'].includes(error.code)

export function checkedCommand([first, ...more]: readonly string[]): AppCommand['command'] {
  const bytes = [first, ...more].reduce((sum, word) => sum + Buffer.byteLength(word ?? ''), 0)
  if (!first) throw new Fault('invalid_request', 'command: must begin with a program')
  if (bytes > limits.runCommandBytes)
    throw new Fault('invalid_request', `command: must have at most ${limits.runCommandBytes} bytes`)
  if ([first, ...more].some(word => word.includes('\0')))
    throw new Fault('invalid_request', 'command: must have no NUL character')
  return [first, ...more]
}
