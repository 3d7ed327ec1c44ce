// Runs the conformance tests of all clients with a folder that is chosen in a browser.
import { gunzipSync } from 'node:zlib'
import { type Contents, describeSiteClient } from '@svc/contract/site/conformance'
import { collectFiles } from '../upload/collect.ts'
import { pack } from '../upload/pack.ts'
import { planFor } from './plan.ts'

describeSiteClient({
  async deploy(contents) {
    const chosen = Object.entries(contents).map(([path, content]) => chosenFile(path, content))
    const { files, warnings } = await planFor(collectFiles(chosen as unknown as FileList))
    const archive = await pack(files, {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    })
    return { tar: gunzipSync(await archive.arrayBuffer()), findings: warnings }
  },
  nameFolder: folder => `the folder ${folder}`,
})

function chosenFile(path: string, content: Contents[string]): File {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const file =
    typeof content === 'string' ? new File([content], name) : ({ name, size: content.bytes } as File)
  return Object.assign(file, { webkitRelativePath: `site/${path}` })
}
