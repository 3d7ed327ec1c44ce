export const dynamic = 'force-dynamic'

export default function Page() {
  return (
    <main>
      <h1>Next.js</h1>
      <p>The server made this page at {new Date().toISOString()}.</p>
    </main>
  )
}
