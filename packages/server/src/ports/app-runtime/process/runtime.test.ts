import { describe } from 'vitest'
import { describeRuntime } from '../conformance.ts'
import { findCgroups } from './cgroups.ts'
import { ProcessRuntime } from './runtime.ts'
import { findWall } from './sandbox.ts'

const limits = findCgroups('conformance') !== undefined

if (await findWall())
  describeRuntime('apps as processes in bubblewrap', {
    open: nodeId => ProcessRuntime.open(nodeId),
    isolates: true,
    limits,
  })
else describe.skip('apps as processes in bubblewrap: it is not installed, or may not do its work here')

describeRuntime('apps as plain processes', {
  open: nodeId => ProcessRuntime.open(nodeId, { walls: false }),
  isolates: false,
  limits,
})
