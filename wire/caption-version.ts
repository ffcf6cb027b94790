/** `v` of the caption page that this program makes and draws (`caption.ts`). */
export const CAPTION_PAGE_VERSION = 1;
