// How the edge reaches server apps: it asks for the address of an instance and marks the app as busy. It knows nothing of
// runners.
import type { Socket } from 'node:net'
import { Fault } from '../../lib/fault.ts'
import type { Attended } from '../../ports/app-runtime/port.ts'

/**
 * How long the release command and the seed command may take together. With the start after it, the answer to an upload comes before clients stop waiting, and
 * before other nodes take the start for a lost one.
 */
export const releaseWithinMs = 4 * 60_000

export interface App {
  projectId: string
  deploymentId: string
}

/** The address from the runtime. `host` may be the id of an instance, which only `connect` can resolve. */
export interface AppAddress {
  host: string
  port: number
  /** The port that the app listens on (PORT), if it differs from `port`. */
  appPort?: number
  /** The node that runs the app, if it is another one. */
  node?: string
}

/** Opens a connection to an app. The socket may still be connecting. Rejects if the app cannot be reached. */
export type Connect = (address: AppAddress) => Promise<Socket>

export interface Apps {
  /** The cached address of an instance. `undefined` if `ensureRunning` must find one. */
  peek(deploymentId: string): AppAddress | undefined
  /**
   * The address of an instance that accepts connections. If there is none, it starts one. Concurrent calls share the start.
   * Rejects with a Fault that says why the app did not start, or with the signal's reason.
   */
  ensureRunning(app: App, signal?: AbortSignal): Promise<AppAddress>
  connect: Connect
  /** Marks that a request or WebSocket is under way, until the returned function is called. A busy app is not stopped. */
  markBusy(deploymentId: string): () => void
  /** Reports that nothing listens at the address any more. It is not used again. */
  markUnreachable(deploymentId: string, address: AppAddress): void
}

/** Starts apps for deployments. */
export interface AppStarter {
  /**
   * Resolves when an instance is ready. Rejects with `DidNotStart`, which says why, if none becomes ready. `moreMs` is what it
   * may take besides the start itself.
   */
  start(app: App, moreMs?: number): Promise<void>
  /**
   * From now on, requests to the deployment go to another instance. Returns a function that says whether earlier requests
   * of this process are under way.
   */
  leave(deploymentId: string, instanceId: string): () => boolean
}

/** A command that a person runs in an instance of its own. */
export interface AppCommand extends App {
  /** A program and its arguments. One alone is a line for the shell. */
  command: readonly [string, ...string[]]
  output: Attended['output']
  /** `undefined`: nobody attends it, and it reads nothing. */
  attended?: Omit<Attended, 'output'>
}

/** `reason` says why the command was ended, if it did not end by itself. */
export interface CommandEnd {
  exitCode: number
  reason: string | null
}

/** Runs commands in the place of apps. */
export interface AppCommands {
  /** Throws a Fault if the command cannot run. What it returns runs it to its end, and must be called. */
  prepare(command: AppCommand): Promise<(signal: AbortSignal) => Promise<CommandEnd>>
  /** Ends all commands, and takes no more. */
  close(): Promise<void>
}

/** The app did not start. Visitors see the message. The person who deploys sees the details. */
export class DidNotStart extends Fault {
  readonly details: string

  constructor(details: string, retryAfter = 5) {
    super('unavailable', 'The app does not start. Its log says why.', { retryAfter })
    this.details = details
  }
}

/** For processes that run no apps. */
export const noApps: Apps & AppStarter = {
  peek: () => undefined,
  ensureRunning: () => Promise.reject(new Error('only a running server reaches apps')),
  start: () => Promise.reject(new Error('only a running server starts apps')),
  leave: () => () => false,
  connect: () => Promise.reject(new Error('only a running server reaches apps')),
  markBusy: () => () => undefined,
  markUnreachable: () => undefined,
}
