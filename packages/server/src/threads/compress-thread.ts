// The thread that makes compressed variants, with the lowest priority.
import { workerData } from 'node:worker_threads'
import { makeVariants } from '../core/deployments/archive/variants.ts'
import { openPacks } from '../ports/packs/open.ts'
import { answerThreadRequests } from './answer-requests.ts'
import type { CompressArgs } from './compress.ts'

const packs = await openPacks(workerData, 'working')
answerThreadRequests(19, ({ id }: CompressArgs, signal) => makeVariants(packs, id, signal))
