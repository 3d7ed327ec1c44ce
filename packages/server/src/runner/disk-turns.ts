// Whose turn it is to write to a disk. One instance has a disk at a time: a successor waits until the one before has ended, and
// requests wait with it. Instances of an app that shares its disk have it side by side, but for snapshots. Only the runner of the
// node that has the disk's files starts instances with it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Publication } from '../core/disk/places.ts'

/** An instance that has a disk, or waits for it. */
export interface Turn {
  readonly diskId: string
  readonly deploymentId: string
  /** Whether it can have the disk beside others that share it. */
  readonly isShared: boolean
  /** Whether the instance accepts connections. */
  isUp(): boolean
  /** How its deployment stands now. */
  publication(): Promise<Publication>
  /** Ends the instance so that another one can have the disk. Resolves when it has ended. */
  yield(): Promise<void>
}

const lookEveryMs = 50
const ranks: Record<Publication, number> = { superseded: 0, published: 1, 'published soon': 2 }

/** Another deployment has the disk now, and keeps it. */
export class DiskIsTaken extends Error {}

export class DiskTurns {
  readonly #holders = new Map<string, Set<Turn>>()
  /** The holders beside which others may have the disk, too. */
  readonly #sharing = new WeakSet<Turn>()
  readonly #waiting = new Set<Turn>()

  /** Resolves when it has the disk, with the deployments that gave it up. Throws DiskIsTaken, or the reason of the signal. */
  async take(turn: Turn, signal: AbortSignal): Promise<string[]> {
    const ended: string[] = []
    this.#waiting.add(turn)
    try {
      for (;;) {
        signal.throwIfAborted()
        const rank = ranks[await turn.publication()]
        if (rank === 0) throw new DiskIsTaken()
        // While one that is being deployed waits for the disk, requests may ask for the live one again. That one takes nothing.
        const isFirst = !(await this.#isOutranked(turn, rank))
        const yielding = isFirst ? await this.#thoseThatMustYield(turn, rank) : []
        if (yielding.length > 0) {
          ended.push(...yielding.map(holder => holder.deploymentId))
          await Promise.all(yielding.map(holder => holder.yield()))
          continue
        }
        signal.throwIfAborted()
        // Nothing may come between this look and the next line.
        if (isFirst && this.#mayHave(turn)) {
          this.#hold(turn)
          return ended
        }
        await sleep(lookEveryMs)
      }
    } finally {
      this.#waiting.delete(turn)
    }
  }

  /** Lets others that share the disk have it, too. Called when its directory is ready for them. */
  share(turn: Turn): void {
    this.#sharing.add(turn)
  }

  /** Takes the disk if no instance waits for it or has it alone. */
  takeIfFree(turn: Turn): boolean {
    const isAwaited = [...this.#waiting].some(other => other.diskId === turn.diskId)
    if (isAwaited || !this.#mayHave(turn)) return false
    this.#hold(turn)
    return true
  }

  /** Called when the instance has ended, whether it ever had the disk or not. */
  giveBack(turn: Turn): void {
    const holders = this.#holders.get(turn.diskId)
    if (holders?.delete(turn) && holders.size === 0) this.#holders.delete(turn.diskId)
  }

  isTaken(diskId: string): boolean {
    return this.#holders.has(diskId)
  }

  #mayHave(turn: Turn): boolean {
    return this.#inTheWayOf(turn).length === 0
  }

  #inTheWayOf(turn: Turn): Turn[] {
    const holders = [...(this.#holders.get(turn.diskId) ?? [])]
    return turn.isShared ? holders.filter(holder => !this.#sharing.has(holder)) : holders
  }

  #hold(turn: Turn): void {
    const holders = this.#holders.get(turn.diskId) ?? new Set()
    this.#holders.set(turn.diskId, holders.add(turn))
  }

  async #thoseThatMustYield(turn: Turn, rank: number): Promise<Turn[]> {
    const all: Turn[] = []
    for (const holder of this.#inTheWayOf(turn))
      if (await this.#mustYield(holder, turn, rank)) all.push(holder)
    return all
  }

  /** A start under way is not interrupted. */
  async #mustYield(holder: Turn, turn: Turn, rank: number): Promise<boolean> {
    if (!holder.isUp()) return false
    if (holder.deploymentId === turn.deploymentId) return true
    const other = ranks[await holder.publication()]
    // One that was started to be published stays while that is under way.
    return other === 0 || (other === 1 && rank === 2)
  }

  async #isOutranked(turn: Turn, rank: number): Promise<boolean> {
    for (const other of this.#waiting)
      if (other !== turn && other.diskId === turn.diskId && ranks[await other.publication()] > rank)
        return true
    return false
  }
}
