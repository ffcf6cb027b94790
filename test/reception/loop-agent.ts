/** An agent whose only station is sent repeatedly: tables, a video PID without pictures, and one packet of EIT each time. */
import { serviceId } from '../../lib/arib/ids.ts';
import { patSection, pesPacket, pmtSection, StreamBuilder } from '../stream-builder.ts';

export const SERVICE = serviceId(101);
export const VIDEO = 0x100;
export const EIT = 0x12;
const PMT = 0x1f0;

/** What it sends each time. */
function plainStation(builder: StreamBuilder): Uint8Array {
  return builder
    .sections(0, patSection(1, [[SERVICE, PMT]]))
    .sections(PMT, pmtSection(SERVICE, { pcrPid: VIDEO, streams: [{ type: 0x02, pid: VIDEO }] }))
    .pes(VIDEO, pesPacket({ streamId: 0xe0, pts: 90_000, data: new Uint8Array(400) }))
    .packet(EIT, { payload: new Uint8Array(100) })
    .nulls(20)
    .take();
}

/** @param take what it sends each time @returns its address, and how to stop it */
export function startLoopAgent(take?: () => Uint8Array): { url: string; stop: () => void } {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: () => {
      const builder = new StreamBuilder();
      return new Response(
        new ReadableStream<Uint8Array>({
          pull: async (controller) => {
            controller.enqueue((take?.() ?? plainStation(builder)) as Uint8Array<ArrayBuffer>);
            await Bun.sleep(3);
          },
        }),
      );
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => void server.stop(true) };
}
