/** Labels of caption languages for viewers. */

const LABELS: Readonly<Record<string, string>> = {
  jpn: '日本語',
  eng: '英語',
  deu: 'ドイツ語',
  fra: 'フランス語',
  ita: 'イタリア語',
  rus: 'ロシア語',
  zho: '中国語',
  kor: '韓国語',
  spa: 'スペイン語',
  por: 'ポルトガル語',
  tgl: 'タガログ語',
};

/** @param index 1 to 8 @param code ISO 639-2; empty when none was declared */
export function captionLanguageLabel(index: number, code: string): string {
  return LABELS[code] ?? (index === 1 ? '日本語' : `第${index}言語`);
}
