// Where an app listens and how svcd reaches it: in a network namespace of the app's own, or on a port of the machine.
import type { Socket } from 'node:net'
import type { Address } from '../port.ts'
import type { Child } from './child.ts'
import type { Walls } from './launch.ts'

export interface Places {
  /** In words for the operator. */
  readonly words: string
  readonly warnings: readonly string[]
  /** For one start of an instance; `undefined` if there is none to be had. */
  take(instanceId: string): Promise<Place | undefined>
  /** Called when a start is over and nobody waits. */
  prepare(): void
  close(): Promise<void>
}

export interface Place {
  readonly address: Address
  readonly walls: Walls | undefined
  /** Resolves when whatever happens makes the app unreachable for good. */
  readonly lost: Promise<void>
  connect(): Promise<Socket>
  /** Resolves when somebody accepts connections. Returns false if that is not the app. Rejects when the signal fires. */
  untilAccepted(child: Child, signal: AbortSignal): Promise<boolean>
  /** Whether somebody who is not the app may have kept it from its port. */
  isTaken(): Promise<boolean>
  /** Other ports on which the app listens. */
  otherPorts(child: Child): number[]
  leave(): Promise<void>
}
