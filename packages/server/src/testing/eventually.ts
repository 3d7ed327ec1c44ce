// Waits for what happens in the background; a test that waits in vain ends by its own time limit.
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 20))
}
