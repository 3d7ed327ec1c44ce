// A page whose URL ends with `?add` opens its dialog for something new. The command palette leads there.
import { useEffect } from 'react'
import { useSearchParams } from 'wouter'

export const withAdd = (path: string): string => `${path}?add`

export function useAddInUrl(open: () => void): void {
  const [params, setParams] = useSearchParams()
  const isAsked = params.has('add')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog opens once for each arrival
  useEffect(() => {
    if (!isAsked) return
    open()
    // Otherwise a reload would open it again.
    setParams(
      before => {
        const after = new URLSearchParams(before)
        after.delete('add')
        return after
      },
      { replace: true },
    )
  }, [isAsked])
}
