/** Of this process, ms: where others are busy, the wall clock says nothing of what some code takes. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
