// The process that makes compressed variants, with the lowest priority.
import { makeVariants } from '../core/deployments/archive/variants.ts'
import { openPacks, type PacksSettings } from '../ports/packs/open.ts'
import type { Packs } from '../ports/packs/port.ts'
import { answerProcessRequests } from './answer-requests.ts'
import type { CompressArgs } from './compress.ts'

let packs: Packs | undefined

answerProcessRequests(19, async ({ settings, id, folders }: CompressArgs, signal) => {
  packs ??= await open(settings)
  await makeVariants(packs, id, { folders, signal })
})

async function open(settings: PacksSettings): Promise<Packs> {
  const packs = await openPacks(settings, 'working')
  // A process before this one may have been killed while it was writing.
  await packs.discardUnfinished()
  return packs
}
