// How the projects are shown in this browser: as cards with pictures, or as a list.
import { createStore } from '../../store.ts'

const key = 'svc.projects'
export type Look = 'cards' | 'list'

const look = createStore<Look>(localStorage.getItem(key) === 'list' ? 'list' : 'cards')
export const useLook = () => look.use()

export function chooseLook(next: Look): void {
  look.set(next)
  localStorage.setItem(key, next)
}
