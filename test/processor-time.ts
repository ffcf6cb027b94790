/**
 * Processor time of this process, ms. On a busy machine wall time says nothing about the cost of some code.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
