// Asks for successors of the instances whose variables have changed. An instance serves until its successor is ready, or for
// good if the successor never is.
import { type Instance, type InstanceParts, requestInstance } from '../core/apps/instances.ts'

/** A restart begins when the variables have not changed for this long, so that several changes cause one restart. */
const settleMs = 1_000

export class Successors {
  readonly #parts: InstanceParts
  readonly #look: () => void
  /** For each instance, the generation for which a successor was requested. A failed successor is not retried. */
  readonly #requestedFor = new Map<string, number>()
  /** For each instance with old variables, the newer generation, and since when it is known. */
  readonly #outdated = new Map<string, { generation: number; since: number }>()

  /** `look` is called when it is time to request again. */
  constructor(parts: InstanceParts, look: () => void) {
    this.#parts = parts
    this.#look = look
  }

  /** Returns whether a successor is on its way because of this call. */
  async request(row: Instance & { wanted_generation: number }): Promise<boolean> {
    const { id, project_id: projectId, deployment_id: deploymentId, wanted_generation: generation } = row
    if (this.#requestedFor.get(id) === generation || !this.#hasSettled(id, generation)) return false
    // A start in progress may have read the old values. The loop tries again after it.
    if ((await requestInstance(this.#parts, { projectId, deploymentId })) !== 'asked') return false
    this.#requestedFor.set(id, generation)
    return true
  }

  forget(instanceId: string): void {
    this.#requestedFor.delete(instanceId)
    this.#outdated.delete(instanceId)
  }

  #hasSettled(instanceId: string, generation: number): boolean {
    const known = this.#outdated.get(instanceId)
    if (known?.generation === generation) return performance.now() - known.since >= settleMs
    this.#outdated.set(instanceId, { generation, since: performance.now() })
    // A timer may be a little early.
    setTimeout(this.#look, settleMs + 10).unref()
    return false
  }
}
