// Runs the conformance tests of all clients with a folder that is chosen in a browser.
import { gunzipSync } from 'node:zlib'
import { type Contents, describeSiteClient } from '@svc/contract/site/conformance'
import { collectFiles } from './collect.ts'
import { noticesFor } from './notices.ts'
import { pack } from './pack.ts'
import { selectFiles } from './selection.ts'

describeSiteClient({
  async deploy(contents) {
    const chosen = Object.entries(contents).map(([path, content]) => chosenFile(path, content))
    const { files, folder } = collectFiles(chosen as unknown as FileList)
    const selected = selectFiles(files, folder)
    const findings = await noticesFor(selected)
    const archive = await pack(selected, {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    })
    return { tar: gunzipSync(await archive.arrayBuffer()), findings }
  },
  nameFolder: folder => `the folder ${folder}`,
})

function chosenFile(path: string, content: Contents[string]): File {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const file =
    typeof content === 'string' ? new File([content], name) : ({ name, size: content.bytes } as File)
  return Object.assign(file, { webkitRelativePath: `site/${path}` })
}
