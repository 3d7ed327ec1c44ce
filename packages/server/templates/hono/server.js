import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()

app.get('/', c => c.text('Hono answers.'))
app.get('/api/hello/:name', c => c.json({ hello: c.req.param('name') }))

// The platform sets PORT and HOSTNAME.
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: process.env.HOSTNAME })
