// The thread that unpacks uploads.
import { workerData } from 'node:worker_threads'
import { unpack } from '../core/deployments/archive/unpack.ts'
import { openPacks } from '../ports/packs/open.ts'
import { receiveBody } from './body-channel.ts'
import { serve } from './serve.ts'
import type { UnpackArgs } from './unpack.ts'

const packs = await openPacks(workerData, 'writing')
serve(5, ({ id, body }: UnpackArgs) => unpack(receiveBody(body), packs, id))
