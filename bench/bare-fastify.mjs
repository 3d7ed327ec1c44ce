// The least that Fastify can do: one route that answers one object.
import Fastify from 'fastify'

const [port, body] = process.argv.slice(2)
const answer = JSON.parse(body)
const app = Fastify()
app.get('/me', async () => answer)
await app.listen({ port: Number(port), host: '127.0.0.1' })
