// The server app of a project: restart it, and evict its pages from the caches.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

export const appEndpoints = {
  'POST /projects/:name/restart': {
    summary: 'Restart the running server app without downtime',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['app.restart'],
    answer: s.ok.extend({ restarting: z.boolean().describe('False if no instance runs at the moment') }),
    errors: ['suspended', 'not_found', 'not_a_server'],
  },
  'POST /projects/:name/run': {
    summary: 'Run a command in a new instance of the live server app',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['app.run'],
    body: z.object({ command: s.command }),
    answer: 'application/x-ndjson',
    errors: ['invalid_request', 'suspended', 'not_found', 'not_a_server', 'run_under_way', 'unavailable'],
    note: `It has the files, the variables and the database of the live deployment, and its disk if no instance has it at the moment. Lines of JSON, as they come: \`{"stdout": "…"}\` and \`{"stderr": "…"}\` with base64, \`{}\` now and then, and last \`{"exit_code": 0, "reason": null}\`. If the command was ended, \`reason\` says why. It ends with the connection, after ${limits.runMinutes} minutes, or after ${limits.runOutputBytes / 1024 / 1024} MB of output.`,
  },
  'GET /projects/:name/run': {
    summary: 'Run a command, give it input, and attend it on a terminal',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['app.run'],
    status: 101,
    answer: 'lines of JSON',
    errors: ['suspended', 'not_found', 'not_a_server', 'unavailable'],
    note: `As \`POST /projects/:name/run\`, in both directions. The client begins with \`{"command": […]}\`, and \`"terminal": {"columns": 80, "rows": 24, "type": "xterm"}\` if the command is to have one. Then it sends \`{"stdin": "…"}\` with base64, \`{"end": true}\` at the end of its input, and \`{"size": {"columns": 80, "rows": 24}}\` when its terminal changes. The platform sends the lines of \`POST\`, and \`{"error": {"code": "…", "message": "…"}}\` if the command cannot run. With a terminal all output is \`stdout\`, and the command ends after ${limits.terminalHours} hours, or ${limits.terminalIdleMinutes} minutes without a byte.`,
  },
  'POST /projects/:name/revalidate': {
    summary: 'Evict pages from the caches',
    access: 'user or deploy',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['cache.revalidate'],
    body: z.object({ paths: z.array(z.string().max(2048)).min(1).max(limits.revalidatePaths) }),
    answer: z.object({
      ok: z.literal(true),
      evicted: z
        .number()
        .int()
        .describe(
          'Cache entries that the asked node dropped. Other nodes drop theirs, too, and are not counted',
        ),
    }),
    errors: ['invalid_request', 'not_found'],
  },
} as const satisfies Endpoints
