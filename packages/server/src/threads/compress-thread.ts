// The thread that makes compressed variants, below everything else in priority.
import { workerData } from 'node:worker_threads'
import { makeVariants } from '../core/deployments/archive/variants.ts'
import { openPacks } from '../ports/packs/open.ts'
import type { CompressArgs } from './compress.ts'
import { serve } from './serve.ts'

const packs = await openPacks(workerData, 'working')
serve(19, ({ id }: CompressArgs, signal) => makeVariants(packs, id, signal))
