import { useState } from 'react'

export function App() {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>Vite and React</h1>
      <button type="button" onClick={() => setCount(count + 1)}>
        Pressed {count} times
      </button>
    </main>
  )
}
