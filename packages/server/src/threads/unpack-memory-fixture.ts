// A program for the memory test: unpacks the archives named, one after the other, and prints its peak after each.
import { createReadStream } from 'node:fs'
import { createUnpacker } from './unpack.ts'

const [dir, ...archives] = process.argv.slice(2)
const unpacker = createUnpacker({ kind: 'disk', dir: dir! })
const peaks: number[] = []
for (const [i, archive] of archives.entries()) {
  await unpacker.unpack(`dep_${i}`, createReadStream(archive))
  peaks.push(process.resourceUsage().maxRSS / 1024)
}
await unpacker.close()
process.stdout.write(JSON.stringify(peaks))
