// An endpoint is where an app listens and how svcd connects to it: in a network namespace of its own, or on a port of the
// machine.
import type { Socket } from 'node:net'
import type { Address } from '../port.ts'
import type { Child } from './child.ts'
import type { Isolation } from './launch.ts'

export interface Endpoints {
  /** A description for the operator. */
  readonly description: string
  readonly warnings: readonly string[]
  /** What does not work here, each with its remedy. */
  readonly problems: readonly string[]
  /** Allocates an endpoint for one start of an instance. `undefined` if none is free. */
  allocate(instanceId: string): Promise<Endpoint | undefined>
  /** Prepares the next endpoint. Call it when no start is in progress. */
  prepare(): void
  close(): Promise<void>
}

export interface Endpoint {
  readonly address: Address
  /** `undefined` if the app runs without a sandbox. */
  readonly isolation: Isolation | undefined
  /** Resolves when the app can no longer be reached. */
  readonly lost: Promise<void>
  connect(): Promise<Socket>
  /** Resolves when a process accepts connections: with false if that process is not the app. Rejects when the signal fires. */
  untilAccepted(child: Child, signal: AbortSignal): Promise<boolean>
  /** Whether another process may use the app's port. */
  isTaken(): Promise<boolean>
  /** Other ports on which the app listens. */
  otherPorts(child: Child): number[]
  release(): Promise<void>
}
