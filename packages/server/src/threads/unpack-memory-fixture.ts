// A program for the memory test: receives uploads over HTTP like the platform, and answers with its peak memory.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createUnpacker } from './unpack.ts'

const unpacker = createUnpacker({ kind: 'disk', dir: process.argv[2]! })
let uploads = 0
const server = createServer(async (req, res) => {
  const unpacked = await unpacker.unpack(`dep_${uploads}`, req, `acc_${uploads++ % 2}`)
  res.end(JSON.stringify({ ...unpacked, peakMegabytes: process.resourceUsage().maxRSS / 1024 }))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
