package dev.polar.export;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.OutputFile;

/** A Parquet file, compressed with gzip. Its library is asked for nothing that needs a Hadoop around it: files are the JDK's, and so is the compression. */
final class ParquetRowWriter implements RowWriter {
    /** Of a row group, in memory. Rows can be large: the size is looked at after each. */
    private static final long GROUP_BYTES = 16L << 20;

    private final ParquetWriter<Map<String, Object>> writer;

    ParquetRowWriter(Path file, List<Column> columns) throws IOException {
        writer = new Builder(new LocalOutputFile(file), columns)
                .withConf(new PlainParquetConfiguration())
                .withCompressionCodec(CompressionCodecName.GZIP)
                .withCodecFactory(new Gzip())
                .withRowGroupSize(GROUP_BYTES)
                .withMinRowCountForPageSizeCheck(1)
                .build();
    }

    @Override
    public void write(Map<String, Object> row) throws IOException {
        writer.write(row);
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }

    private static final class Builder extends ParquetWriter.Builder<Map<String, Object>, Builder> {
        private final List<Column> columns;

        Builder(OutputFile file, List<Column> columns) {
            super(file);
            this.columns = columns;
        }

        @Override
        protected Builder self() {
            return this;
        }

        @Override
        protected WriteSupport<Map<String, Object>> getWriteSupport(Configuration unused) {
            return new ParquetRows(columns);
        }

        @Override
        protected WriteSupport<Map<String, Object>> getWriteSupport(ParquetConfiguration unused) {
            return new ParquetRows(columns);
        }
    }

    /** The library's own needs native code or Hadoop's. */
    private static final class Gzip implements CompressionCodecFactory {
        @Override
        public BytesInputCompressor getCompressor(CompressionCodecName name) {
            return new BytesInputCompressor() {
                @Override
                public BytesInput compress(BytesInput bytes) throws IOException {
                    var compressed = new ByteArrayOutputStream();
                    try (var gzip = new GZIPOutputStream(compressed)) {
                        bytes.writeAllTo(gzip);
                    }
                    return BytesInput.from(compressed.toByteArray());
                }

                @Override
                public CompressionCodecName getCodecName() {
                    return CompressionCodecName.GZIP;
                }

                @Override
                public void release() {
                    // holds nothing
                }
            };
        }

        @Override
        public BytesInputDecompressor getDecompressor(CompressionCodecName name) {
            throw new UnsupportedOperationException("nothing is read here");
        }

        @Override
        public void release() {
            // holds nothing
        }
    }
}
