// The ids under which node:http2 knows the client's streams. They are the client's own, until the lane hands a stream over after
// node:http2 got a later one: HTTP/2 lets ids only grow, so that stream gets the next free id, and all later ones move up.

/** From the client's stream `from` on, node:http2's ids are higher by `by`. */
interface Shift {
  readonly from: number
  readonly by: number
}

/** Each late stream is kept, so there may be only so many on a connection. */
const mostLate = 256

export class NodeIds {
  /** The ids of late streams, in both directions. */
  readonly #ofNode = new Map<number, number>()
  readonly #ofClient = new Map<number, number>()
  readonly #shifts: Shift[] = []

  /** Whether a stream may still be added. */
  get hasRoom(): boolean {
    return this.#ofNode.size < mostLate
  }

  /** Whether the stream came late. */
  isLate(id: number): boolean {
    return this.#ofNode.has(id)
  }

  /** Whether node:http2 got no late stream after the client opened this one, so that its id is free. */
  isLatest(id: number): boolean {
    return id >= (this.#shifts.at(-1)?.from ?? 0)
  }

  /** Adds a late stream. `last` is the latest stream of the client. */
  addLate(id: number, last: number): void {
    const by = this.#shifts.at(-1)?.by ?? 0
    const nodeId = last + 2 + by
    this.#ofNode.set(id, nodeId)
    this.#ofClient.set(nodeId, id)
    if (this.#shifts.at(-1)?.from === last + 2) this.#shifts.pop()
    this.#shifts.push({ from: last + 2, by: by + 2 })
  }

  /** Returns the id under which node:http2 knows the client's stream. */
  toNode(id: number): number {
    if (this.#shifts.length === 0 || (id & 1) === 0) return id
    const late = this.#ofNode.get(id)
    if (late !== undefined) return late
    const shift = this.#shifts.findLast(({ from }) => id >= from)
    return id + (shift?.by ?? 0)
  }

  /** Returns the client's id of a stream of node:http2. */
  toClient(nodeId: number): number {
    if (this.#shifts.length === 0 || (nodeId & 1) === 0) return nodeId
    const late = this.#ofClient.get(nodeId)
    if (late !== undefined) return late
    const shift = this.#shifts.findLast(({ from, by }) => nodeId - by >= from)
    return nodeId - (shift?.by ?? 0)
  }
}
