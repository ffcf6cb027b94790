/** A text as a QR code. Black on white in every theme: cameras read nothing else for certain. */
import { qrCode } from './qr-code.ts';

/** Quiet zone around it, modules: ISO/IEC 18004, 7.3.8. */
const QUIET = 4;

export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = qrCode(text);
  if (rows === undefined) return null;
  const size = rows.length + 2 * QUIET;
  const path = rows
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg
      class="qr block-level"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
