// Runs the commands of people, each in an instance of its own that gets no requests: with the files, variables, database and
// limits of the live app, and with its disk if no instance has it.
import { constants } from 'node:os'
import { limits } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { minuteMs } from '@svc/contract/durations'
import { inShell, planStart, type StartPlan } from '../core/apps/environment.ts'
import type { AppCommand, AppCommands, CommandEnd } from '../core/base/apps.ts'
import { suspensionOf } from '../core/base/suspension.ts'
import { isFull } from '../core/disk/disk.ts'
import { Fault } from '../lib/fault.ts'
import { newId } from '../lib/ids.ts'
import { AppDidNotStart, type AppExit, type AppSpec } from '../ports/app-runtime/port.ts'
import { claimDisk, findDisk } from '../store/disk/disks.ts'
import { listSnapshots } from '../store/disk/snapshots.ts'
import { findProjectById } from '../store/projects/projects.ts'
import type { DiskRow } from '../store/tables.ts'
import { specOf } from './app-spec.ts'
import type { DiskTurns, Turn } from './disk-turns.ts'
import { notes } from './notes.ts'
import type { SupervisorParts } from './supervisor.ts'

/** Commands of this node that may run at a time. */
const atOnce = 16

interface Running {
  projectId: string
  deploymentId: string
  turn: Turn | undefined
  /** Aborted with the reason in words. */
  ending: AbortController
  ended: Promise<void>
}

export class Commands implements AppCommands {
  readonly #parts: SupervisorParts
  readonly #turns: DiskTurns
  readonly #running = new Map<string, Running>()
  #closed = false

  constructor(parts: SupervisorParts, turns: DiskTurns) {
    this.#parts = parts
    this.#turns = turns
  }

  async prepare(given: AppCommand): Promise<(signal: AbortSignal) => Promise<CommandEnd>> {
    const { projectId, deploymentId } = given
    this.#requireRoom(projectId)
    const instanceId = newId('run')
    let end = (): void => undefined
    const running: Running = {
      ...{ projectId, deploymentId, turn: undefined, ending: new AbortController() },
      ended: new Promise(resolve => {
        end = resolve
      }),
    }
    this.#running.set(instanceId, running)
    const forget = () => {
      if (running.turn) this.#turns.giveBack(running.turn)
      this.#running.delete(instanceId)
      end()
    }
    try {
      const spec = await this.#specOf(given, instanceId, running)
      return signal => this.#run(spec, given, running, signal).finally(forget)
    } catch (error) {
      forget()
      if (error instanceof AppDidNotStart) throw new Fault('unavailable', error.message, { cause: error })
      throw error
    }
  }

  isRunning(deploymentId: string): boolean {
    return [...this.#running.values()].some(running => running.deploymentId === deploymentId)
  }

  /** The disks that commands write to, each with what ends the command. */
  writing(): [diskId: string, end: () => void][] {
    return [...this.#running.values()].flatMap(({ turn, ending }) =>
      turn ? [[turn.diskId, () => ending.abort('Its disk holds more than it may.')]] : [],
    )
  }

  /** Ends the commands of projects that were deleted or suspended. */
  async endUnwanted(): Promise<void> {
    const { db } = this.#parts.store
    for (const { projectId, ending } of this.#running.values())
      if (!(await findProjectById(db, projectId))) ending.abort('The project was deleted.')
      else if (await suspensionOf(db, projectId)) ending.abort('The project was suspended.')
  }

  async close(): Promise<void> {
    this.#closed = true
    const all = [...this.#running.values()]
    for (const { ending } of all) ending.abort('The platform is stopping.')
    await Promise.all(all.map(({ ended }) => ended))
  }

  #requireRoom(projectId: string): void {
    if (this.#closed) throw new Fault('unavailable', 'The platform is stopping.')
    const all = [...this.#running.values()]
    if (all.filter(running => running.projectId === projectId).length >= limits.runs)
      throw new Fault(
        'run_under_way',
        `${limits.runs} commands of the project run already. Wait for one to end.`,
      )
    if (all.length >= atOnce)
      throw new Fault('unavailable', 'Too many commands run at the moment. Try again in a minute.')
  }

  async #specOf(asked: AppCommand, instanceId: string, running: Running): Promise<AppSpec> {
    const { deploymentId, command } = asked
    const plan = await planStart(this.#parts.platform, deploymentId)
    if (!plan) throw new Fault('not_found', 'The deployment has just been deleted.')
    if (plan.problem !== undefined) throw new AppDidNotStart('cannot run', plan.problem)
    // Nothing waits for its readers.
    const write = bounded(asked.output, limits.runOutputBytes, running.ending)
    const output: AppSpec['output'] = (stream, chunk) => {
      write(stream, chunk)
      return true
    }
    const spec = await specOf(this.#parts, plan, { instanceId, deploymentId, output })
    const disk = await this.#takeDisk(running)
    return { ...spec, command: commandIn(plan, command), disk }
  }

  async #takeDisk(running: Running): Promise<AppSpec['disk']> {
    const { store, nodeId, disks, runtime } = this.#parts
    const { projectId, deploymentId } = running
    const disk = await findDisk(store.db, projectId, '')
    if (!disk || disk.removed_at !== null) return undefined
    if (isFull(disk)) throw new AppDidNotStart('cannot run', notes.diskIsFull(disk))
    const turn = turnOf(disk, deploymentId)
    if (!this.#turns.takeIfFree(turn))
      throw new Fault(
        'run_under_way',
        'The app runs and has its disk, which one instance at a time can have. Run the command while the app is asleep, or as the release command of a deploy.',
      )
    running.turn = turn
    if (!(await claimDisk(store.db, disk.id, nodeId)))
      throw new Fault(
        'unavailable',
        'The disk of the app is on another machine, and the command would run here.',
      )
    const newest = (await listSnapshots(store.db, disk.id))[0]?.id
    const dir = await disks.prepare(disk.id, await runtime.diskOwner(projectId), newest)
    if (turn.isShared) this.#turns.share(turn)
    return { dir, path: disk.path }
  }

  async #run(
    spec: AppSpec,
    { attended, output }: AppCommand,
    { ending }: Running,
    signal: AbortSignal,
  ): Promise<CommandEnd> {
    const { runtime } = this.#parts
    const minutes = attended?.terminal && !spec.disk ? 60 * limits.terminalHours : limits.runMinutes
    const given = AbortSignal.timeout(minutes * minuteMs)
    const over = AbortSignal.any([signal, ending.signal, given])
    const whenRead = bounded(output, limits.attendedOutputBytes, ending)
    try {
      // The image of a Dockerfile need not have Node.
      if (attended && spec.image !== undefined) leaveUnread(attended, output)
      const exit =
        attended && spec.image === undefined
          ? await runtime.attend(spec, { ...attended, output: whenRead }, over)
          : await runtime.run(spec, over)
      return endOf(exit, spec.limits.memoryBytes)
    } catch (error) {
      if (ending.signal.aborted) return ended(String(ending.signal.reason))
      if (given.aborted) return ended(`It took longer than ${minutes} minutes.`)
      if (signal.aborted) return ended(String(signal.reason))
      if (error instanceof AppDidNotStart) return { exitCode: 1, reason: error.message }
      throw error
    }
  }
}

/** Ends a command that writes too much. */
function bounded(output: AppCommand['output'], most: number, ending: AbortController): AppCommand['output'] {
  let left = most
  return (stream, chunk) => {
    if (chunk.length > left) return void ending.abort(`It wrote more than ${formatBytes(most)}.`)
    left -= chunk.length
    return output(stream, chunk)
  }
}

async function leaveUnread(
  { terminal, input }: NonNullable<AppCommand['attended']>,
  output: AppCommand['output'],
): Promise<void> {
  const notice = "A command in a Dockerfile's image has no terminal here, and reads nothing.\n"
  if (terminal) output('stderr', Buffer.from(notice))
  for await (const _ of input);
}

/** A command holds the disk until it has ended. The app waits for it, unless they share it. */
const turnOf = (disk: DiskRow, deploymentId: string): Turn => ({
  ...{ diskId: disk.id, deploymentId, isShared: disk.is_shared === 1 },
  isUp: () => false,
  publication: async () => 'published',
  yield: async () => undefined,
})

/** As in `npm run`, with `node_modules/.bin` in PATH. The image of a Dockerfile need not have a shell. */
function commandIn({ image }: StartPlan, command: AppCommand['command']): AppSpec['command'] {
  const [first, ...more] = command
  if (more.length === 0) return inShell(['/bin/sh', '-c', first])
  if (image !== undefined) return command
  return ['/bin/sh', '-c', 'PATH="$PWD/node_modules/.bin:$PATH" exec "$@"', 'sh', ...command]
}

const ended = (reason: string): CommandEnd => ({ exitCode: codeOf('SIGKILL'), reason })

const codeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

function endOf({ code, signal, outOfMemory }: AppExit, memoryBytes: number): CommandEnd {
  if (outOfMemory) return ended(`It used more than ${formatBytes(memoryBytes)} of memory.`)
  if (signal) return { exitCode: codeOf(signal), reason: `It was ended by ${signal}.` }
  return { exitCode: code ?? 1, reason: null }
}
