// The upload rules for the files of an archive, applied to each header before its bytes are read.
import { formatBytes } from '@svc/contract/bytes'
import { limits } from '@svc/contract/limits'
import { linksPath } from '@svc/contract/site'
import { Fault } from '../../../lib/fault.ts'
import type { TarHandlers } from '../../../lib/tar.ts'
import type { PackWriter } from '../../../ports/packs/pack-writer.ts'
import { entryPath, printable } from './entry-path.ts'

export function packFiles(writer: PackWriter): TarHandlers {
  let files = 0
  let bytes = 0
  return {
    onFile(file) {
      const path = entryPath(file.path)
      // The list of links is not a file of the site.
      if (path !== linksPath) files += 1
      bytes += file.size
      if (files > limits.files) {
        throw new Fault('invalid_archive', 'The archive holds more than 10,000 files. Deploy fewer files.')
      }
      if (file.size > limits.fileBytes) {
        throw new Fault(
          'payload_too_large',
          `The file '${printable(file.path)}' is larger than ${formatBytes(limits.fileBytes)}. Leave it out.`,
        )
      }
      if (bytes > limits.extractedBytes) {
        throw new Fault(
          'payload_too_large',
          `The files of the archive are larger than ${formatBytes(limits.extractedBytes)} in all. Leave some out.`,
        )
      }
      writer.beginFile(path)
    },
    onData: slice => writer.write(slice),
    onFileEnd: () => writer.endFile(),
  }
}
