/** Short notices that go by themselves. At most three at a time: a fourth pushes out the oldest. */
import { signal } from '@preact/signals';

interface Toast {
  readonly id: number;
  readonly text: string;
}

const toasts = signal<readonly Toast[]>([]);
const SHOWN_MS = 6_000;
const MOST = 3;
let nextId = 1;

export function showToast(text: string): void {
  if (toasts.value.some((toast) => toast.text === text)) return;
  const id = nextId++;
  toasts.value = [...toasts.value, { id, text }].slice(-MOST);
  setTimeout(() => {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  }, SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map((toast) => (
        <p key={toast.id} class="toast">
          {toast.text}
        </p>
      ))}
    </div>
  );
}
