// Watches the tasks of all services of this node. The engine has no events of tasks, so svcd asks again and again: twice a second
// for all of them, and more often for those that are about to change.
import { WakeSignal } from '../../../lib/wake-signal.ts'
import { nodeLabel } from '../docker/container.ts'
import type { Engine } from '../docker/engine.ts'

const oftenMs = 50
const seldomMs = 500

export interface Task {
  ID: string
  CreatedAt: string
  ServiceID: string
  NodeID?: string
  DesiredState: string
  Status: {
    State: string
    Err?: string
    ContainerStatus?: { ContainerID?: string; ExitCode?: number }
    PortStatus?: { Ports?: { PublishedPort: number }[] }
  }
}

export interface TaskFollower {
  readonly serviceId: string
  /** Whether its task is about to start or to end. */
  readonly isUrgent: boolean
  /** Gets the tasks of the service, which may be none. */
  look(tasks: Task[]): void
}

export class TaskWatch {
  readonly #engine: Engine
  readonly #all: string
  readonly #followers = new Set<TaskFollower>()
  readonly #wakeSignal = new WakeSignal()
  #isWatching = false

  constructor(engine: Engine, nodeId: string) {
    this.#engine = engine
    this.#all = `/tasks?${filter('label', [`${nodeLabel}=${nodeId}`])}`
  }

  add(follower: TaskFollower): void {
    this.#followers.add(follower)
    if (this.#isWatching) this.hurry()
    else void this.#watch()
  }

  delete(follower: TaskFollower): void {
    this.#followers.delete(follower)
  }

  /** Looks now instead of after the pause. */
  hurry(): void {
    this.#wakeSignal.wake()
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    let lookAtAllAt = 0
    while (this.#followers.size > 0) {
      const isForAll = performance.now() >= lookAtAllAt
      if (isForAll) lookAtAllAt = performance.now() + seldomMs
      // A follower that is added while the engine answers is not among these: the answer may not know its task.
      const followers = [...this.#followers].filter(({ isUrgent }) => isForAll || isUrgent)
      if (followers.length > 0) await this.#lookAt(followers, isForAll)
      const isUrgent = [...this.#followers].some(follower => follower.isUrgent)
      if (this.#followers.size > 0) await this.#wakeSignal.wait(isUrgent ? oftenMs : seldomMs)
    }
    this.#isWatching = false
  }

  async #lookAt(followers: TaskFollower[], isForAll: boolean): Promise<void> {
    const ids = followers.map(({ serviceId }) => serviceId)
    try {
      const tasks = await this.#engine.call<Task[]>(
        'GET',
        isForAll ? this.#all : `/tasks?${filter('service', ids)}`,
      )
      for (const follower of followers)
        follower.look(tasks.filter(({ ServiceID }) => ServiceID === follower.serviceId))
    } catch {
      // The engine does not answer, such as while it restarts. Or one of the services is gone, which a look at all shows.
    }
  }
}

const filter = (name: string, values: readonly string[]): string =>
  `filters=${encodeURIComponent(JSON.stringify({ [name]: values }))}`
