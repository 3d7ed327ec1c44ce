// A place is where an app listens and how svcd connects to it: in a network namespace of its own, or on a port of the machine.
import type { Socket } from 'node:net'
import type { Address } from '../port.ts'
import type { Child } from './child.ts'
import type { Walls } from './launch.ts'

export interface Places {
  /** A description for the operator. */
  readonly words: string
  readonly warnings: readonly string[]
  /** Allocates a place for one start of an instance. `undefined` if none is free. */
  take(instanceId: string): Promise<Place | undefined>
  /** Called after a start, when no request waits, to prepare the next place. */
  prepare(): void
  close(): Promise<void>
}

export interface Place {
  readonly address: Address
  readonly walls: Walls | undefined
  /** Resolves when the app can no longer be reached. */
  readonly lost: Promise<void>
  connect(): Promise<Socket>
  /** Resolves when a process accepts connections: false if it is not the app. Rejects when the signal fires. */
  untilAccepted(child: Child, signal: AbortSignal): Promise<boolean>
  /** Whether another process may use the app's port. */
  isTaken(): Promise<boolean>
  /** Other ports on which the app listens. */
  otherPorts(child: Child): number[]
  leave(): Promise<void>
}
