// The thread that unpacks uploads.
import { workerData } from 'node:worker_threads'
import { unpack } from '../core/deployments/archive/unpack.ts'
import { openPacks } from '../ports/packs/open.ts'
import { answerThreadRequests } from './answer-requests.ts'
import { receiveBody } from './body-channel.ts'
import type { UnpackArgs } from './unpack.ts'

const packs = await openPacks(workerData, 'writing')
answerThreadRequests(5, ({ id, body, sources }: UnpackArgs) => unpack(receiveBody(body), packs, id, sources))
