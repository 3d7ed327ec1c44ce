// How the edge gets to server apps: it asks for an address and says what it is busy with, and knows nothing of runners.
import type { Socket } from 'node:net'

export interface App {
  projectId: string
  deploymentId: string
}

/** As the runtime gave it: its host may be the id of an instance, which `connect` alone knows the way to. */
export interface AppAddress {
  host: string
  port: number
  /** The port that the app was told to listen on (PORT), where that is not `port`. */
  appPort?: number
}

/** Opens a connection to an app, which may still be connecting. Rejects if there is no way to the app. */
export type Connect = (address: AppAddress) => Promise<Socket>

export interface Apps {
  /** The address of an instance that is known already. `undefined` if `reach` must look. */
  peek(deploymentId: string): AppAddress | undefined
  /**
   * The address of an instance that accepts connections. Where there is none, one is started: all who ask meanwhile
   * share that start. Rejects with a Fault that says why there is none, or with the signal's reason.
   */
  ensureRunning(app: App, signal?: AbortSignal): Promise<AppAddress>
  connect: Connect
  /** A request or a WebSocket is under way, until the function that it answers is called: the app is kept awake. */
  markBusy(deploymentId: string): () => void
  /** Nobody listens at the address any more: it is not given out again. */
  markUnreachable(deploymentId: string, address: AppAddress): void
}

/** For those who deploy. */
export interface AppStarter {
  /** Resolves when an instance is ready; rejects with `DidNotStart`, which says why, when none comes up. */
  start(app: App): Promise<void>
}

/** For programs that start none. */
export const noApps: Apps & AppStarter = {
  peek: () => undefined,
  ensureRunning: () => Promise.reject(new Error('only a running server reaches apps')),
  start: () => Promise.reject(new Error('only a running server starts apps')),
  connect: () => Promise.reject(new Error('only a running server reaches apps')),
  markBusy: () => () => undefined,
  markUnreachable: () => undefined,
}
