// The thread that looks for files in packs.
import { workerData } from 'node:worker_threads'
import { missingHashes } from '../core/deployments/archive/unchanged.ts'
import { openPacks } from '../ports/packs/open.ts'
import { answerThreadRequests } from './answer-requests.ts'
import type { MissingFilesArgs } from './missing-files.ts'

const packs = await openPacks(workerData, 'writing')
answerThreadRequests(5, ({ hashes, sources }: MissingFilesArgs) =>
  missingHashes(hashes, { packs, ids: sources }),
)
