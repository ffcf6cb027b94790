/**
 * The service in a process of its own, with a guide worker that writes all the time. Its address and data folder are the
 * first line of the output; it ends with its input, and then prints its warnings.
 */
import { startTestService } from '../service/harness.ts';

const service = await startTestService({
  environment: JSON.parse(process.argv[2] ?? '{}') as Record<string, string>,
  startGuideWorker: () => new Worker(new URL('../service/writer.worker.ts', import.meta.url)),
});
console.log(JSON.stringify({ url: service.url, folder: service.folder }));
await Bun.stdin.text();
console.log(JSON.stringify(service.lines.filter((line) => /^(?:WARN|ERROR)/.test(line))));
process.exit(0);
